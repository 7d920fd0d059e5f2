import { refuseFaults } from '#core/refusal.ts'
import type { Addressed, Asked, Route } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { Reading } from '#wire/read.ts'
import { type Answer, answerOf } from './answer.ts'
import { refuseMismatch } from './conditions.ts'
import { refuseMalformed } from './handling.ts'
import type { House } from './house.ts'
import { type Keyed, once } from './idempotency.ts'

/** A write, as far as its transaction goes by it. */
interface Write {
  keyed: Keyed | undefined
  addressed: Addressed<Endpoint>
  /** The revisions that If-Match allows. */
  allowed?: string[] | '*' | undefined
  /** Reads the body: only when it is its turn to be refused. */
  read: () => Reading
  /** The reply is only shown, and no secret was made. */
  hidesSecret?: boolean
}

/** What a write does within its transaction, in the order of the contract (2.3, steps 9 to 14). */
export const performed =
  (house: Pick<House, 'baseUrl'>, { endpoint, subject, operation }: Route, write: Write) =>
  (tx: WriteTx): Promise<Answer> =>
    once(tx, write.keyed, async () => {
      const { addressed, allowed, hidesSecret } = write
      refuseMalformed(addressed.params)
      const found = await subject(tx, addressed)
      if (found?.revision !== undefined) refuseMismatch(allowed, found.revision)
      const { value, faults } = write.read()
      refuseFaults(faults)
      const asked = { ...addressed, body: value } as Asked<Endpoint>
      const result = await operation(tx, found, asked)
      const shown = hidesSecret ? { ...Object(result), secret: null } : result
      return answerOf(endpoint, shown, house.baseUrl, tx.changed ? tx.operation_id : null)
    })
