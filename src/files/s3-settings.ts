import type { SettingReader } from '#core/setting-reader.ts'
import { isOrigin } from '#lib/web-origin.ts'

/** An S3-compatible store. */
export interface S3Connection {
  /** Origin, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** A bucket of such a store. */
export interface S3Settings extends S3Connection {
  bucket: string
}

/** Where attachments are, and how much there may be. */
export interface FileSettings {
  /** The store of the bucket for attachments, of backups, or of both. */
  connection: S3Connection | undefined
  /** The bucket for attachments; undefined: they are in the data directory. */
  s3: S3Settings | undefined
  maxAttachmentBytes: number
  /** The most bytes of a workspace: its texts, its files and its history together. */
  workspaceBytes: number
}

/** Reads where attachments are. */
export function readFileSettings(reader: SettingReader): FileSettings {
  const { text, integer, mistakes } = reader
  const bucket = text('DOCKET_S3_BUCKET')
  if (bucket !== undefined && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    mistakes.push(
      `DOCKET_S3_BUCKET must be a bucket name of 3–63 lower-case letters, digits, dots and hyphens, not "${bucket}"`,
    )
  }
  const connection = readS3Connection(reader, bucket !== undefined)
  return {
    connection,
    s3: connection && bucket !== undefined ? { ...connection, bucket } : undefined,
    maxAttachmentBytes: integer('DOCKET_MAX_ATTACHMENT_BYTES', 104_857_600, 1, 1e11),
    workspaceBytes: integer('DOCKET_WORKSPACE_BYTES', 10_737_418_240, 1_048_576, 1e15),
  }
}

function readS3Connection(
  { text, secret, mistakes }: SettingReader,
  hasBucket: boolean,
): S3Connection | undefined {
  const values = {
    ENDPOINT: text('DOCKET_S3_ENDPOINT'),
    REGION: text('DOCKET_S3_REGION'),
    ACCESS_KEY_ID: secret('DOCKET_S3_ACCESS_KEY_ID'),
    SECRET_ACCESS_KEY: secret('DOCKET_S3_SECRET_ACCESS_KEY'),
  }
  if (!hasBucket && Object.values(values).every((value) => value === undefined)) return undefined
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) continue
    mistakes.push(
      `DOCKET_S3_${name} is missing: set endpoint, region and both keys together, or none of DOCKET_S3_…`,
    )
  }
  const { ENDPOINT: endpoint = '', REGION: region = '' } = values
  const { ACCESS_KEY_ID: accessKeyId = '', SECRET_ACCESS_KEY: secretAccessKey = '' } = values
  if (endpoint !== '' && !isOrigin(endpoint)) {
    mistakes.push(
      `DOCKET_S3_ENDPOINT must be a URL without a path, such as https://s3.example.com, not "${endpoint}"`,
    )
  }
  return { endpoint, region, accessKeyId, secretAccessKey }
}
