import { hash } from 'node:crypto'
import { invalidHeader, versionMismatch } from '#core/api-error.ts'
import { crc32Hex } from '#lib/token.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { CONTENT_CODINGS, type ContentCoding } from './content-coding.ts'

/** The entity tags of a conditional header, without quotes; `*` is any. */
export type KnownTags = string[] | '*'

/** Changes exactly when the record's own fields do: a task's version, else its `updated_at`. */
const revisionOf = (revision: number | string): string =>
  typeof revision === 'number' ? String(revision) : Date.parse(revision).toString(36)

/** `"<revision>-<suffix>"` (docs/spec/api.md#conditional-requests); the suffix changes with the rest of the JSON, too. */
export const computeEtag = (revision: number | string, json: string): string =>
  `"${revisionOf(revision)}-${crc32Hex(json)}"`

/** One tag of a list; a tag may hold commas, and empty elements are skipped (RFC 9110 §5.6.1). */
const ENTITY_TAG = /[ \t,]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,[ \t,]*|$)/y

/** The tags of a conditional header, without quotes; undefined if the header is malformed. */
function parseEntityTags(value: string): KnownTags | undefined {
  if (value.trim() === '*') return '*'
  const tags: string[] = []
  ENTITY_TAG.lastIndex = 0
  for (let end = 0; end < value.length || tags.length === 0; end = ENTITY_TAG.lastIndex) {
    const tag = ENTITY_TAG.exec(value)?.[1]
    if (tag === undefined) return undefined
    tags.push(tag)
  }
  return tags
}

/** Returns the revisions that If-Match allows; undefined where the header is absent or ignored. */
export function parseIfMatch(
  ifMatch: string | undefined,
  conditions: Endpoint['conditions'],
): KnownTags | undefined {
  if (ifMatch === undefined || conditions === undefined) return undefined
  if (conditions === 'refused') {
    throw invalidHeader('If-Match', 'unknown_field', 'is not accepted by this operation')
  }
  const tags = parseEntityTags(ifMatch)
  if (!tags) {
    const why = 'must be * or a list of ETags in double quotes'
    throw invalidHeader('If-Match', 'invalid_format', why)
  }
  return tags === '*' ? tags : tags.map((tag) => tag.split('-', 1)[0] ?? '')
}

/** Throws 412 when the record is not in one of the revisions that the client expects. */
export function assertIfMatch(allowed: KnownTags | undefined, revision: number | string) {
  if (allowed === undefined || allowed === '*' || allowed.includes(revisionOf(revision))) return
  throw versionMismatch()
}

/** Returns the tags that the client has; undefined if the header is absent or malformed. */
export const parseIfNoneMatch = (ifNoneMatch: string | undefined): KnownTags | undefined =>
  ifNoneMatch === undefined ? undefined : parseEntityTags(ifNoneMatch)

/** Whether the client has this representation, by the weak comparison of RFC 9110 §8.8.3.2. */
export const isNotModified = (knownTags: KnownTags | undefined, etag: string): boolean =>
  knownTags === '*' || (knownTags?.includes(opaqueTagOf(etag)) ?? false)

/** Without quotes and without the mark of a weak tag. */
const opaqueTagOf = (etag: string): string => etag.replace(/^W\//, '').slice(1, -1)

/**
 * The tag of a reply in a content coding. Strong tags promise equal bytes, so that each coding needs
 * its own (RFC 9110 §8.8.3.3); its checksum is another one, and its revision the same. A tag has the
 * form `"<checksum>"` or `"<revision>-<checksum>"`; weak tags serve for all codings.
 */
export function etagOfCoding(etag: string, coding: ContentCoding['name']): string {
  if (etag.startsWith('W/')) return etag
  const start = etag.lastIndexOf('-') + 1 || 1
  const checksum = etag.slice(start, -1)
  const coded = hash('sha256', `${coding} ${checksum}`).slice(0, checksum.length)
  return `${etag.slice(0, start)}${coded}"`
}

/**
 * Returns the tag under which the client has a reply, in whichever coding it got it; undefined if it
 * has none of them. `coding` is that of the present reply.
 */
export function findKnownEtag(
  knownTags: KnownTags | undefined,
  etag: string,
  coding: ContentCoding['name'] | undefined,
): string | undefined {
  if (knownTags === undefined) return undefined
  const present = coding ? etagOfCoding(etag, coding) : etag
  const coded = CONTENT_CODINGS.map(({ name }) => etagOfCoding(etag, name))
  return [present, etag, ...coded].find((tag) => isNotModified(knownTags, tag))
}
