import {
  Fields,
  Id,
  Line,
  List,
  OneOf,
  Pattern,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'
import { PARTS, type Part } from './lines.ts'

/** The format of archives that this program writes, and the newest that it reads. */
export const FORMAT = 1

const Count = Whole(0, Number.MAX_SAFE_INTEGER)

/** What an archive says of itself, in its last file. */
export type Manifest = Static<typeof Manifest>
export const Manifest = Fields({
  format: Whole(FORMAT, FORMAT),
  /** The version of the Docket that made it, and of its database. */
  docket: Line(1, 100),
  schema: Count,
  made_at: Timestamp(),
  workspace: Fields({ id: Id('wsp'), name: Line(1, 100) }),
  parts: List(
    Fields({
      part: OneOf(PARTS),
      lines: Count,
      bytes: Count,
      sha256: Pattern('^[0-9a-f]{64}$'),
    }),
  ),
  /** Files of attachments: those that it has, and those whose bytes could not be read any more. */
  files: Fields({ count: Count, bytes: Count, lost: Count }),
})

export const MANIFEST = 'manifest.json'
export const nameOfPart = (part: Part): string => `${part}.jsonl`
export const nameOfFile = (id: string): string => `files/${id}`
