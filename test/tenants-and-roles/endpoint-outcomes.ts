import type { Role } from '#wire/rights.ts'
import type { SignedInWorkspace } from './internal-records.ts'

/** A request to an endpoint, and its outcome for owner, admin, member and guest. */
export interface InternalEndpointCase {
  outcomes: readonly [owner: string, admin: string, member: string, guest: string]
  /** Returns the ids for the path, in their order. */
  ids?: (world: SignedInWorkspace, role: Role) => Promise<string[]> | string[]
  query?: string
  body?: object | ((world: SignedInWorkspace) => object)
  /** Whether the request ends its own session. */
  endsSession?: true
}

/** The same outcome for all four roles. */
export const everyone = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  status,
  status,
  status,
]
/** Of a request that the role does not allow, for a record that the person may see. */
export const FORBIDDEN = '403 insufficient_role'
/** Of a request for a record that the person cannot see. */
export const MISSING = '404 not_found'
/** For owners and admins; others may see the record. */
export const managersOnly = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  status,
  FORBIDDEN,
  FORBIDDEN,
]
/** For owners; others may see the record. */
export const ownersOnly = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  FORBIDDEN,
  FORBIDDEN,
  FORBIDDEN,
]
/** For owners and admins; others cannot see the record. */
export const hiddenFromOthers = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  status,
  MISSING,
  MISSING,
]
