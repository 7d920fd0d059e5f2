import { useCallback, useEffect, useRef, useState } from 'react'
import { dropDraft, keepDraft, readDraft } from '../lib/drafts.ts'

const WAIT_MS = 300

interface Draft {
  text: string
  setText: (text: string) => void
  /** Whether it was found in the browser, and not changed back. */
  restored: boolean
  /** Forgets it: it was sent, or is not wanted. */
  drop: () => void
}

/** A text that outlives the page under a key, until it is dropped; one equal to its beginning is no draft. */
export function useDraft(key: string | undefined, beginning: string): Draft {
  const [found] = useState(() => (key === undefined ? undefined : readDraft(key)))
  const [text, show] = useState(found ?? beginning)
  const [restored, setRestored] = useState(found !== undefined && found !== beginning)
  const unsaved = useRef<string>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const keep = useCallback(() => {
    clearTimeout(timer.current)
    if (key === undefined || unsaved.current === undefined) return
    if (unsaved.current === beginning || unsaved.current === '') dropDraft(key)
    else keepDraft(key, unsaved.current)
    unsaved.current = undefined
  }, [key, beginning])
  useEffect(() => {
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [keep])

  return {
    text,
    restored,
    setText(next) {
      show(next)
      unsaved.current = next
      clearTimeout(timer.current)
      timer.current = setTimeout(keep, WAIT_MS)
    },
    drop() {
      clearTimeout(timer.current)
      unsaved.current = undefined
      if (key !== undefined) dropDraft(key)
      show(beginning)
      setRestored(false)
    },
  }
}
