import { type Ref, useEffect, useRef, useState } from 'react'
import { searchMessages } from '../../messages/app/search.ts'

const TYPING_DELAY_MS = 200

interface SearchFieldProps {
  q: string
  onSearch: (q: string) => void
  /** Called on Down and Enter, to move the focus to the results. */
  onLeave: () => void
  ref: Ref<HTMLInputElement>
}

/** The search input. It updates the URL a moment after the last key press. */
export function SearchField({ q, onSearch, onLeave, ref }: SearchFieldProps) {
  const [typed, setTyped] = useState(q)
  // The URL may change after the user has typed on. Values that this field wrote must not replace
  // the newer text.
  const writtenValues = useRef(new Set<string>())
  useEffect(() => {
    if (!writtenValues.current.delete(q)) setTyped(q)
  }, [q])
  useEffect(() => {
    const next = typed.trim()
    if (next === q) return
    const timer = setTimeout(() => {
      writtenValues.current.add(next)
      onSearch(next)
    }, TYPING_DELAY_MS)
    return () => clearTimeout(timer)
  }, [typed, q, onSearch])
  return (
    <input
      ref={ref}
      className="field wide-search"
      type="search"
      aria-label={searchMessages.label}
      placeholder={searchMessages.placeholder}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
        event.preventDefault()
        onLeave()
      }}
    />
  )
}
