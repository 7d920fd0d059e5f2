import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { invalidate } from '../cache/query-client.ts'
import { scheduleBootReload } from '../session/boot.ts'
import type { MutationKind } from './mutation-entry.ts'
import { showNotDone, takePageCallbacks } from './record-mutations.ts'
import type { MutationOfKind } from './stored-mutation.ts'

/** One request, which needs nothing but its idempotency key. */
export const requestKind: MutationKind<MutationOfKind<'request'>> = {
  async send({ address, sent, queries }, { key }) {
    const reply = await requestEndpointForResult(address, sent, { idempotencyKey: key })
    const callbacks = takePageCallbacks(key)
    if (callbacks) await callbacks.onReply(reply)
    else {
      scheduleBootReload()
      // What is derived from the mutation is shown until the queries show it themselves.
      await Promise.all(queries.map((name) => invalidate({ queryKey: [name] })))
    }
    return []
  },
  revert({ label }, error, key) {
    const callbacks = takePageCallbacks(key)
    if (callbacks) callbacks.onRejected(error)
    else showNotDone(label, error)
  },
}
