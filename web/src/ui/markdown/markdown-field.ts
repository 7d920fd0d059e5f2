import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'

type TextReplacement = Pick<MarkdownEdit, 'from' | 'to' | 'insert'>

/** The field of an editor: a textarea, or the rich-text field once its code is loaded. */
export interface MarkdownField {
  readText: () => string
  readSelection: () => [from: number, to: number]
  hasFocus: () => boolean
  focus: () => void
  select: (from: number, to: number) => void
  /** Edits the text as if it had been typed, so that the person can undo it, and takes the focus. */
  edit: (edit: MarkdownEdit) => void
  /**
   * Replaces a part of the text while the person may be typing elsewhere: the focus stays, and the
   * selection keeps its place in the text.
   */
  replace: (part: TextReplacement) => void
  /** Where the line of the caret is in the window. */
  readCaretLine: () => { top: number; bottom: number } | null
}

/** A field of the browser: of one line, or before the code of the rich-text field is loaded. */
export function createPlainField(area: HTMLTextAreaElement | HTMLInputElement): MarkdownField {
  const hasFocus = () => document.activeElement === area
  const edit = (change: MarkdownEdit) => {
    area.focus()
    area.setSelectionRange(change.from, change.to)
    const command = change.insert === '' ? 'delete' : 'insertText'
    if (change.from === change.to && change.insert === '') return
    // execCommand is deprecated, but setRangeText bypasses the undo history.
    if (!document.execCommand(command, false, change.insert)) setText(area, change, 'end')
    area.setSelectionRange(...change.select)
  }
  return {
    readText: () => area.value,
    readSelection: () => [area.selectionStart ?? 0, area.selectionEnd ?? 0],
    hasFocus,
    focus: () => area.focus(),
    select: (from, to) => area.setSelectionRange(from, to),
    edit,
    // The browser does not say where it is; the list of suggestions then is beside the field.
    readCaretLine: () => null,
    replace(part) {
      const { from, to, insert } = part
      const shift = (at: number) =>
        at <= from ? at : Math.max(at, to) + insert.length - (to - from)
      // `edit` would take the focus.
      if (hasFocus())
        edit({ ...part, select: [shift(area.selectionStart ?? 0), shift(area.selectionEnd ?? 0)] })
      else setText(area, part, 'preserve')
    },
  }
}

function setText(
  area: HTMLTextAreaElement | HTMLInputElement,
  { from, to, insert }: TextReplacement,
  mode: SelectionMode,
): void {
  area.setRangeText(insert, from, to, mode)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}
