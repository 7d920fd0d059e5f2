import { Refusal } from '#core/refusal.ts'
import { crc32Hex } from '#lib/token.ts'
import type { Endpoint } from '#wire/endpoint.ts'

/** What changes exactly with the record's own fields: a task's version, else its time of change. */
const revisionOf = (revision: number | string): string =>
  typeof revision === 'number' ? String(revision) : Date.parse(revision).toString(36)

/** `"<revision>-<suffix>"` (contract 1.8); the suffix changes with anything else that is shown. */
export const etagOf = (revision: number | string, json: string): string =>
  `"${revisionOf(revision)}-${crc32Hex(json)}"`

/** One tag of a list, which may itself hold commas; RFC 9110 bids to pass over empty elements. */
const TAG = /[ \t,]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,[ \t,]*|$)/y

/** The tags of a conditional header, without quotes; `*` for any, undefined for what is malformed. */
function tagsIn(value: string): string[] | '*' | undefined {
  if (value.trim() === '*') return '*'
  const tags: string[] = []
  TAG.lastIndex = 0
  for (let end = 0; end < value.length || tags.length === 0; end = TAG.lastIndex) {
    const tag = TAG.exec(value)?.[1]
    if (tag === undefined) return undefined
    tags.push(tag)
  }
  return tags
}

/** The revisions that If-Match allows, `*` for any; undefined where it is absent or ignored. */
export function allowedBy(
  ifMatch: string | undefined,
  conditions: Endpoint['conditions'],
): string[] | '*' | undefined {
  if (ifMatch === undefined || conditions === undefined) return undefined
  if (conditions === 'refused') {
    throw new Refusal(400, 'invalid_header', 'If-Match cannot be used here.', {
      details: [{ field: 'If-Match', code: 'unknown_field', message: 'It is not taken here.' }],
    })
  }
  const tags = tagsIn(ifMatch)
  if (!tags) {
    throw new Refusal(400, 'invalid_header', "If-Match must be '*' or a list of quoted tags.", {
      details: [{ field: 'If-Match', code: 'invalid_format', message: 'If-Match is malformed.' }],
    })
  }
  return tags === '*' ? tags : tags.map((tag) => tag.split('-', 1)[0] ?? '')
}

/** Refuses when the record is not in one of the revisions that the client expects. */
export function refuseMismatch(allowed: string[] | '*' | undefined, revision: number | string) {
  if (allowed === undefined || allowed === '*' || allowed.includes(revisionOf(revision))) return
  throw new Refusal(412, 'version_mismatch', 'The record has changed since: read it again.')
}

/** The tags that the client has, `*` for any; undefined without the header or a sense in it. */
export const had = (ifNoneMatch: string | undefined): string[] | '*' | undefined =>
  ifNoneMatch === undefined ? undefined : tagsIn(ifNoneMatch)

/** Whether the client has what would be sent. */
export const hasAlready = (had: string[] | '*' | undefined, etag: string): boolean =>
  had === '*' || (had?.includes(etag.slice(1, -1)) ?? false)
