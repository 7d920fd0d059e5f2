/** Sections that few people open; they are loaded as a chunk of their own. */

export { AuditLog } from './audit/audit-log.tsx'
export { ImportExport } from './import-export/import-export.tsx'
export { UsageSection } from './workspace/usage-section.tsx'
