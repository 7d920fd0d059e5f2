/** Screens that few people open; they are loaded as a chunk of their own. */

export { AgentSettings } from './agents/agent-settings.tsx'
export { ApprovalPage } from './agents/approval-page.tsx'
export { AuditLog } from './audit/audit-log.tsx'
export { ImportExport } from './import-export/import-export.tsx'
export { PushSettings } from './profile/push-section.tsx'
export { UsageSettings } from './workspace/usage-settings.tsx'
