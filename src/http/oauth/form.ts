import type { IncomingMessage } from 'node:http'
import { Refusal } from '#core/refusal.ts'
import { sent } from '../admission.ts'
import { collect, tooLarge } from '../body.ts'

const MOST_BYTES = 65_536
const FORM =
  /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i

/** The body of a request to an OAuth address (contract 1.2): a form, in the order 415, 413. */
export async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const { headers } = request
  const declared = headers['content-length']
  const present = headers['transfer-encoding'] !== undefined || Number(declared ?? 0) > 0
  if (!present) return new URLSearchParams()
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (coding !== 'identity' || !FORM.test(sent(request, 'content-type')?.trim() ?? '')) {
    const message = "Send the body as 'Content-Type: application/x-www-form-urlencoded'."
    throw new Refusal(415, 'unsupported_media_type', message)
  }
  if (Number(declared ?? 0) > MOST_BYTES) throw tooLarge(MOST_BYTES)
  return new URLSearchParams((await collect(request, MOST_BYTES)).toString('utf8'))
}
