/** The German texts of parts that few people open; they are loaded with those parts. */
export { germanRemedies as remedies } from './app/remedies.ts'
export { germanAgents as agents } from './settings/agents.ts'
export { germanAudit as audit } from './settings/audit.ts'
export { germanPush as push } from './settings/push.ts'
export { germanTransfer as transfer } from './settings/transfer.ts'
