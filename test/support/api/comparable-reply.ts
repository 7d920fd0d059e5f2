import type { ApiReply } from './call-api.ts'

/** Headers that differ between identical requests. */
const VARYING_HEADERS =
  /^(date|content-length|etag|x-request-id|x-operation-id|x-ratelimit-(remaining|reset)|server-timing)$/

/** The part of a reply that must be equal for two indistinguishable requests, apart from `id`. */
export function toComparableReply({ status, headers, text }: ApiReply, id?: string): string {
  const stableHeaders = Object.entries(headers)
    .filter(([name]) => !VARYING_HEADERS.test(name))
    .map(([name, value]) => [name, name === 'link' ? value.replace(/req_\w{26}/, '<id>') : value])
  const varyingFields =
    /"(request_id|operation_id|next_cursor|position|updated_at|title)":("[^"]*"|null)|"version":\d+/g
  const body = (id === undefined ? text : text.replaceAll(id, '<id>')).replace(varyingFields, '')
  const length = status >= 400 ? headers['content-length'] : null
  return JSON.stringify([status, length, stableHeaders, body])
}
