/** Settings that are seldom opened. */

export { Audit } from './audit/audit.tsx'
export { Transfer } from './transfer/transfer.tsx'
