import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { getApproval, listApprovals, refuseApproval } from './internal.ts'
import { get, list, loadApproval, refuse } from './operations.ts'

/** Allowing one is a session action in `src/accounts`: it runs as another actor. */
export const approvals = [
  readRoute(listApprovals, allowAnyRole, list),
  readRoute(getApproval, (tx, { params }) => loadApproval(tx, params.id), get),
  writeRoute(refuseApproval, (tx, { params }) => loadApproval(tx, params.id), refuse),
]
