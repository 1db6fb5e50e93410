-- Whether row-level security hides nudged's rows, or those of the app's tables, from this role: it would see nobody, and say nothing. One row.
select
    row_security_active('nudged.person')
    or coalesce(row_security_active(to_regclass('public.context_profiles')) and not pg_has_role(current_user, (
        select relowner from pg_class where oid = to_regclass('nudged.recipient')), 'usage'), false)
