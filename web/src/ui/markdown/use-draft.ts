import { useCallback, useEffect, useRef, useState } from 'react'
import { deleteDraft, readDraft, saveDraft } from '../../lib/state/drafts.ts'
import { removeUploadPlaceholders } from './file-inserter.ts'

const SAVE_DELAY_MS = 300

interface TextDraft {
  text: string
  setText: (text: string) => void
  /** Whether the text was restored from the browser's storage. */
  restored: boolean
  /** Deletes the draft, because it was submitted or discarded. */
  drop: () => void
}

/**
 * Stores a text under a key until it is dropped, so that it survives closing the page. A text equal
 * to its initial value is not stored. A revised text replaces the stored one from the start.
 */
export function useDraft(
  key: string | undefined,
  initialText: string,
  revisedText?: string,
): TextDraft {
  const [stored] = useState(() => revisedText ?? (key === undefined ? undefined : readDraft(key)))
  const [text, setTextState] = useState(stored ?? initialText)
  const [restored, setRestored] = useState(stored !== undefined && stored !== initialText)
  const unsaved = useRef<string>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const saveNow = useCallback(() => {
    clearTimeout(timer.current)
    if (key === undefined || unsaved.current === undefined) return
    const lasting = removeUploadPlaceholders(unsaved.current)
    if (lasting === initialText || lasting === '') deleteDraft(key)
    // What could not be stored is tried again when the page ends.
    else if (!saveDraft(key, lasting)) return
    unsaved.current = undefined
  }, [key, initialText])
  useEffect(() => {
    addEventListener('pagehide', saveNow)
    return () => {
      removeEventListener('pagehide', saveNow)
      saveNow()
    }
  }, [saveNow])

  return {
    text,
    restored,
    setText(next) {
      setTextState(next)
      unsaved.current = next
      clearTimeout(timer.current)
      timer.current = setTimeout(saveNow, SAVE_DELAY_MS)
    },
    drop() {
      clearTimeout(timer.current)
      unsaved.current = undefined
      if (key !== undefined) deleteDraft(key)
      setTextState(initialText)
      setRestored(false)
    },
  }
}
