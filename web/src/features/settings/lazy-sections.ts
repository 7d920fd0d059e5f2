/** Sections that are opened rarely; they are loaded as a chunk of their own. */

export { AuditLog } from './audit/audit-log.tsx'
export { ImportExport } from './import-export/import-export.tsx'
