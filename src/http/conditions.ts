import { Refusal } from '#core/refusal.ts'
import { crc32Hex } from '#lib/token.ts'
import type { Endpoint } from '#wire/endpoint.ts'

/** What changes exactly with the record's own fields: a task's version, else its time of change. */
export const revisionOf = (revision: number | string): string =>
  typeof revision === 'number' ? String(revision) : Date.parse(revision).toString(36)

/** `"<revision>-<suffix>"` (contract 1.8); the suffix changes with anything else that is shown. */
export const etagOf = (revision: number | string, json: string): string =>
  `"${revisionOf(revision)}-${crc32Hex(json)}"`

const TAG = /^(?:W\/)?"([\x21\x23-\x7e]*)"$/

/** The tags of a conditional header, without quotes; `*` for any. Malformed: 400. */
function tagsIn(name: string, value: string): string[] | '*' {
  if (value.trim() === '*') return '*'
  const tags = value.split(',').map((tag) => TAG.exec(tag.trim())?.[1])
  if (tags.every((tag) => tag !== undefined)) return tags
  throw new Refusal(400, 'invalid_header', `${name} must be '*' or a list of quoted tags.`, {
    details: [{ field: name, code: 'invalid_format', message: `${name} is malformed.` }],
  })
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
  const tags = tagsIn('If-Match', ifMatch)
  return tags === '*' ? tags : tags.map((tag) => tag.split('-', 1)[0] ?? '')
}

/** Refuses when the record is not in one of the revisions that the client expects. */
export function refuseMismatch(allowed: string[] | '*' | undefined, revision: number | string) {
  if (allowed === undefined || allowed === '*' || allowed.includes(revisionOf(revision))) return
  throw new Refusal(412, 'version_mismatch', 'The record has changed since: read it again.')
}

/** The tags that the client has, `*` for any; undefined without the header. */
export const had = (ifNoneMatch: string | undefined): string[] | '*' | undefined =>
  ifNoneMatch === undefined ? undefined : tagsIn('If-None-Match', ifNoneMatch)

/** Whether the client has what would be sent. */
export const hasAlready = (had: string[] | '*' | undefined, etag: string): boolean =>
  had === '*' || (had?.includes(etag.slice(1, -1)) ?? false)
