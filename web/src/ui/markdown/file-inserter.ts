import type { ClipboardEvent, DragEvent, RefObject } from 'react'
import { getPastedFiles } from '../../lib/browser/pasted-files.ts'
import { escapePattern } from '../../lib/text/escape-pattern.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import type { MarkdownField } from './markdown-field.ts'

/** An upload that has ended: what stood for it in the text, and the Markdown of its files. */
export interface EndedUpload {
  placeholder: string
  markdown: string
  /** Whether a file is missing. */
  hasFailed: boolean
}

/** Uploads files and returns the Markdown of each that the server has received. */
export type UploadFiles = (files: File[]) => Promise<string[]>

interface FileInserterOptions {
  field: RefObject<MarkdownField | null>
  /** Uploads files; without it the field accepts none. */
  onFiles: UploadFiles | undefined
  onError: (error: unknown) => void
  /** The running uploads. */
  uploads: Set<Promise<EndedUpload>>
}

/**
 * Inserts uploaded files into a text. A placeholder marks their position during the upload and is
 * removed if it fails.
 */
export function createFileInserter({ field, onFiles, onError, uploads }: FileInserterOptions) {
  const upload = async (
    placeholder: string,
    fileCount: number,
    uploading: Promise<string[]>,
  ): Promise<EndedUpload> => {
    const inserted = await uploading.catch((error: unknown) => {
      onError(error)
      return []
    })
    const markdown = inserted.join('\n')
    const from = field.current?.readText().indexOf(placeholder) ?? -1
    if (from >= 0) field.current?.replace({ from, to: from + placeholder.length, insert: markdown })
    return { placeholder, markdown, hasFailed: inserted.length < fileCount }
  }
  const take = async (files: File[]) => {
    const { current } = field
    if (!onFiles || !current || files.length === 0) return
    const placeholder = createPlaceholder(files, current.readText())
    const [from, to] = current.readSelection()
    const end = from + placeholder.length
    current.edit({ from, to, insert: placeholder, select: [end, end] })
    const running = upload(placeholder, files.length, onFiles(files))
    uploads.add(running)
    await running
    uploads.delete(running)
  }
  return {
    /** Asks for files and uploads them. */
    choose: () => chooseFiles((files) => void take(files)),
    handlers: onFiles ? takeTransferredFiles((files) => void take(files)) : {},
  }
}

/** Opens the dialog of the browser in which files are chosen. */
export function chooseFiles(take: (files: File[]) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.addEventListener('change', () => take([...(input.files ?? [])]))
  input.click()
}

/** Event handlers around fields for pasted and dropped files, which come before their own. */
export function takeTransferredFiles(take: (files: File[]) => void) {
  const takeFrom = (event: ClipboardEvent | DragEvent, files: File[]) => {
    if (files.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    take(files)
  }
  return {
    onPasteCapture: (event: ClipboardEvent) => takeFrom(event, getPastedFiles(event.clipboardData)),
    onDragOverCapture(event: DragEvent) {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDropCapture: (event: DragEvent) => takeFrom(event, [...event.dataTransfer.files]),
  }
}

/** Two pasted screenshots often have the same name; a number tells their placeholders apart. */
function createPlaceholder(files: readonly File[], text: string): string {
  const names = files.map(({ name }) => name).join(', ')
  let placeholder = markdownMessages.uploading(names)
  for (let count = 2; text.includes(placeholder); count += 1)
    placeholder = markdownMessages.uploading(`${names} (${count})`)
  return placeholder
}

/** Waits until no upload is running; returns those for which it has waited. */
export async function waitForUploads(
  uploads: ReadonlySet<Promise<EndedUpload>>,
): Promise<EndedUpload[]> {
  const ended: EndedUpload[] = []
  while (uploads.size > 0) ended.push(...(await Promise.all(uploads)))
  return ended
}

/** A text with the Markdown of uploads in place of their placeholders. */
export const insertUploads = (text: string, uploads: readonly EndedUpload[]): string =>
  uploads.reduce((all, { placeholder, markdown }) => all.replace(placeholder, () => markdown), text)

/**
 * A text without the placeholders of uploads. One stays behind where an upload ended with its page,
 * and comes back where the person undoes its replacement.
 */
export function removeUploadPlaceholders(text: string): string {
  const [start = '', end = ''] = markdownMessages.uploading('\n').split('\n')
  const pattern = new RegExp(`${escapePattern(start)}.*?${escapePattern(end)}`, 'g')
  return text.replace(pattern, '')
}
