"""Reads the page of `nudged report` as a browser does, or nearly: every start has its end, and what is left are rows of
tables, one a line."""

import sys, html.parser
VOID = {'meta', 'br', 'hr'}
class Page(html.parser.HTMLParser):
    stack, cell, row = [], None, []
    def handle_starttag(self, tag, attrs):
        names = [n for n, _ in attrs]
        assert len(names) == len(set(names)), (tag, attrs)
        if tag not in VOID: self.stack.append(tag)
        if tag == 'tr': self.row = []
        if tag in ('td', 'th', 'dt', 'dd'): self.cell = ''
    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, (tag, self.stack, self.getpos())
        self.stack.pop()
        if tag in ('td', 'th', 'dt', 'dd'): self.row.append(self.cell); self.cell = None
        if tag == 'tr' or tag == 'dl': print('|'.join(self.row)); self.row = []
    def handle_startendtag(self, tag, attrs): assert False, tag
    def handle_data(self, data):
        if self.cell is not None: self.cell += data
page = Page(convert_charrefs=True)
text = open(sys.argv[1], encoding='utf-8', errors='strict').read()
assert text.startswith('<!DOCTYPE html>\n<html lang="en">') and text.endswith('</html>\n')
page.feed(text)
page.close()
assert not page.stack, page.stack
