import OpenSSL

import struct FoundationEssentials.Data

/// The page's style sheet and its content security policy.
///
/// Text has a contrast of at least 4.5 to 1, bars 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11). The two colours of bars differ
/// for every kind of colour blindness, and no meaning depends on colour alone.
enum ReportStyle {
    /// Nothing may be loaded, run or sent. Of style sheets, only this one is allowed, by its hash (CSP Level 3, 2.3.1).
    static var contentSecurityPolicy: String {
        let digest = SHA256.digest(of: Array("\(sheet)".utf8)).map(\.bytes)
        let style = digest.map { "'sha256-\(Data($0).base64EncodedString())'" } ?? "'none'"
        return "default-src 'none'; style-src \(style); base-uri 'none'; form-action 'none'"
    }

    static let sheet: StaticString = """

        :root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d3d9e0;--bar:#0b62a8;--bad:#b3451a;--shade:#e9edf2;--hatch:#a9b3bf;--card:#f5f7f9;--link:#0b62a8}
        @media (prefers-color-scheme:dark){:root{--page:#0f1318;--ink:#e6edf3;--soft:#9aa7b5;--line:#323b46;--bar:#58a6e8;--bad:#f08a4b;--shade:#1b232d;--hatch:#4a5765;--card:#171d25;--link:#79b8f0}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
        h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}
        h2{font-size:1.2rem;line-height:1.3;margin:0 0 .25rem}
        h3{font-size:1rem;line-height:1.4;margin:1.25rem 0 0}
        h4{font-size:1rem;line-height:1.4;font-weight:400;margin:1rem 0 0}
        p{margin:.4rem 0;max-width:46rem}
        a{color:var(--link)}
        :focus-visible{outline:3px solid var(--link);outline-offset:2px}
        nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:1rem 0;padding:0}
        nav a{display:inline-block;padding:.2rem 0}
        section{margin:2.25rem 0 0;padding:1.25rem 0 0;border-top:1px solid var(--line)}
        .soft{color:var(--soft)}
        .remark{border-left:4px solid var(--bad);padding:.1rem .8rem}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.25rem 0 0}
        .tiles div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}
        .tiles dt{color:var(--soft);font-size:.875rem}
        .tiles dd{margin:0;font-size:1.5rem;line-height:1.3;font-variant-numeric:tabular-nums}
        .tiles dd small{display:block;font-size:.8125rem;color:var(--soft)}
        .chart{display:block;overflow:visible;margin:.75rem 0}
        .chart text{font-size:13px;fill:var(--ink);font-variant-numeric:tabular-nums}
        .chart .panel{font-weight:600}
        .chart .tick,.chart .number{fill:var(--soft)}
        .bar{fill:var(--bar)}
        .trouble{fill:var(--bad)}
        .bar:hover,.trouble:hover{fill:var(--ink)}
        .shade{fill:var(--shade)}
        .hatch{stroke:var(--hatch);stroke-width:1;fill:none}
        .grid{stroke:var(--line);stroke-width:1}
        .axis{stroke:var(--soft);stroke-width:1}
        details{margin:.5rem 0}
        summary{cursor:pointer;padding:.3rem 0;color:var(--link)}
        .scroll{overflow-x:auto;margin:.5rem 0}
        table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
        caption{text-align:left;color:var(--soft);padding:.3rem 0}
        th,td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
        thead th,tfoot th,tfoot td{font-weight:600}
        thead th{vertical-align:bottom}
        .n{text-align:right;white-space:nowrap}
        tbody th{white-space:nowrap}
        @media print{:root{color-scheme:light;--page:#fff;--ink:#000;--soft:#444;--line:#bbb;--bar:#0b62a8;--bad:#b3451a;--shade:#e9edf2;--hatch:#a9b3bf;--card:#fff;--link:#000}body{max-width:none;padding:0}nav{display:none}section,.tiles div,tr{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
        @media (forced-colors:active){.bar,.trouble{fill:CanvasText}.shade{fill:Canvas}.hatch,.grid,.axis{stroke:GrayText}.chart text{fill:CanvasText}}

        """
}
