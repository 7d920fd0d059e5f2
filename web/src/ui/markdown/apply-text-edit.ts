import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'

/** Edits the text of a field as if it had been typed, so that the browser can undo it. */
export function applyTextEdit(area: HTMLTextAreaElement, edit: MarkdownEdit): void {
  area.focus()
  area.setSelectionRange(edit.from, edit.to)
  const command = edit.insert === '' ? 'delete' : 'insertText'
  // execCommand is deprecated, but setRangeText bypasses the undo history.
  if (edit.from === edit.to && edit.insert === '') return
  if (!document.execCommand(command, false, edit.insert)) setText(area, edit, 'end')
  area.setSelectionRange(...edit.select)
}

/**
 * Replaces a part of the text while the person may be typing elsewhere: the focus stays, and the
 * selection keeps its place in the text.
 */
export function replaceText(
  area: HTMLTextAreaElement,
  part: Pick<MarkdownEdit, 'from' | 'to' | 'insert'>,
): void {
  const { from, to, insert } = part
  const shift = (at: number) => (at <= from ? at : Math.max(at, to) + insert.length - (to - from))
  // applyTextEdit would take the focus.
  if (document.activeElement !== area) setText(area, part, 'preserve')
  else
    applyTextEdit(area, {
      ...part,
      select: [shift(area.selectionStart), shift(area.selectionEnd)],
    })
}

function setText(
  area: HTMLTextAreaElement,
  { from, to, insert }: Pick<MarkdownEdit, 'from' | 'to' | 'insert'>,
  mode: SelectionMode,
): void {
  area.setRangeText(insert, from, to, mode)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}
