/** Reports. The screen is reports.tsx. */

export type { ReportSearchParams } from './report-search-params.ts'
