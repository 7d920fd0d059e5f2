import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** Creates a ZIP archive of files with these names. */
export async function createZip(
  files: Record<string, Buffer>,
  options: { compress?: boolean } = {},
): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name, options)
  zip.end()
  return buffer(zip.outputStream)
}
