import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** A ZIP archive of files with these names. */
export async function zipOf(files: Record<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name)
  zip.end()
  return buffer(zip.outputStream)
}
