/** The German texts of parts that few people open; they are loaded with those parts. */
export { germanAudit as audit } from './settings/audit.ts'
export { germanPush as push } from './settings/push.ts'
export { germanTransfer as transfer } from './settings/transfer.ts'
