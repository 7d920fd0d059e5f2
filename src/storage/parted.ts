/**
 * The tables that `docket partition` splits: those that grow with what happens, and not with what there is.
 * A request reads a row or a page of these at the most; tasks, and what is joined to them, stay whole,
 * for there it would cost each request (docs/decisions/0032).
 */
export const PARTED = ['events', 'deliveries', 'delivery_attempts', 'activity'] as const
