import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** Creates a ZIP archive of files with these names. */
export async function createZip(files: Record<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name)
  zip.end()
  return buffer(zip.outputStream)
}
