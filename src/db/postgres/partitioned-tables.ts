/**
 * The tables that `docket partition` splits: those that grow with activity. A request reads at most one
 * row or one page of them. Tasks and the tables joined to them are not partitioned, since that would
 * slow down every request (docs/decisions/0032).
 */
export const PARTITIONED_TABLES = ['events', 'deliveries', 'delivery_attempts', 'activity'] as const
