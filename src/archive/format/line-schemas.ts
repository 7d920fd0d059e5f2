import type { TObject } from 'typebox'
import type { ArchivePartDefinition } from '#resources/noun.ts'
import { NonNegativeInteger, PositiveInteger } from '#resources/noun.ts'
import { ARCHIVED_PARTS } from '#resources/nouns.ts'
import {
  Id,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  Timezone,
} from '#wire/schema-builders.ts'

const Workspace = StrictObject({
  id: Id('wsp'),
  name: SingleLineText(1, 100),
  plan: StringEnum(['free', 'paid']),
  timezone: Timezone(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  last_sequence: NonNegativeInteger,
  log_from_sequence: PositiveInteger,
})

/** The parts whose lines come from the rows of a table. */
export type TablePart = keyof typeof ARCHIVED_PARTS
export type ArchivePart = 'workspace' | TablePart

/** The parts of an archive in order. Each refers only to parts before it. */
export const ARCHIVE_PARTS = ['workspace', ...Object.keys(ARCHIVED_PARTS)] as ArchivePart[]

/** Where the lines of a part come from, and which fields refer to other parts. */
export const definitionOf = (part: TablePart): ArchivePartDefinition => ARCHIVED_PARTS[part]

export const schemaOf = (part: ArchivePart): TObject =>
  part === 'workspace' ? Workspace : ARCHIVED_PARTS[part].line

/** The type of a line, by part. */
export type ArchiveLines = { workspace: Static<typeof Workspace> } & {
  [P in TablePart]: Static<(typeof ARCHIVED_PARTS)[P]['line']>
}

/** Serializes a line with its fields in the order of the schema and no white space. */
export function serializeLine<P extends ArchivePart>(part: P, line: ArchiveLines[P]): string {
  const values = new Map<string, unknown>(Object.entries(line))
  const fields = Object.keys(schemaOf(part).properties).map((name) => [name, values.get(name)])
  return JSON.stringify(Object.fromEntries(fields))
}
