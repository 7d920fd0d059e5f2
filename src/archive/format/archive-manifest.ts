import {
  Id,
  Integer,
  List,
  Sha256,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'
import { ARCHIVE_PARTS, type ArchivePart } from './line-schemas.ts'

/** The archive format that this version writes, and the newest that it reads. */
export const ARCHIVE_FORMAT = 2
/** The longest line of a part: three times the size of the largest record. */
export const MAX_ARCHIVE_LINE_BYTES = 8 * 1024 * 1024

const Count = Integer(0, Number.MAX_SAFE_INTEGER)

/** The content of `manifest.json`, the last file of an archive. */
export type ArchiveManifest = Static<typeof ArchiveManifest>
export const ArchiveManifest = StrictObject({
  format: Integer(1, ARCHIVE_FORMAT),
  /** The versions of the Docket that made the archive, and of its database schema. */
  docket: SingleLineText(1, 100),
  schema: Count,
  made_at: Timestamp(),
  workspace: StrictObject({ id: Id('wsp'), name: SingleLineText(1, 100) }),
  parts: List(
    StrictObject({
      part: StringEnum(ARCHIVE_PARTS),
      lines: Count,
      bytes: Count,
      sha256: Sha256(),
    }),
  ),
  /** Attachment files: those in the archive, and those whose bytes could not be read (`lost`). */
  files: StrictObject({ count: Count, bytes: Count, lost: Count }),
})

export const ARCHIVE_MANIFEST_FILENAME = 'manifest.json'
export const partFilename = (part: ArchivePart): string => `${part}.jsonl`
export const attachmentFilename = (id: string): string => `files/${id}`
