import type { Replied } from './call.ts'

/** Headers that differ from one reply to the next by themselves. */
const VARYING =
  /^(date|content-length|etag|x-request-id|x-operation-id|x-ratelimit-(remaining|reset))$/

/** What of a reply must be alike where two requests must not be told apart, but for an id in them. */
export function essenceOf({ status, headers, text }: Replied, id?: string): string {
  const kept = Object.entries(headers).filter(([name]) => !VARYING.test(name))
  const varying =
    /"(request_id|operation_id|next_cursor|updated_at|title)":("[^"]*"|null)|"version":\d+/g
  const body = (id === undefined ? text : text.replaceAll(id, '<id>')).replace(varying, '')
  const length = status >= 400 ? headers['content-length'] : null
  return JSON.stringify([status, length, kept, body])
}
