import { type Ref, useEffect, useRef, useState } from 'react'
import { m } from '../../messages/search.ts'

const TYPING_MS = 200

interface Props {
  q: string
  onSearch: (q: string) => void
  /** Down, or Enter: to what was found. */
  onLeave: () => void
  ref: Ref<HTMLInputElement>
}

/** Where words are typed: shortly after the last key they are in the address. */
export function SearchField({ q, onSearch, onLeave, ref }: Props) {
  const [typed, setTyped] = useState(q)
  // What this field wrote into the address comes back later than what is typed meanwhile.
  const sent = useRef(new Set<string>())
  useEffect(() => {
    if (!sent.current.delete(q)) setTyped(q)
  }, [q])
  useEffect(() => {
    const next = typed.trim()
    if (next === q) return
    const timer = setTimeout(() => {
      sent.current.add(next)
      onSearch(next)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, q, onSearch])
  return (
    <input
      ref={ref}
      className="field wide-search"
      type="search"
      aria-label={m.label}
      placeholder={m.placeholder}
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
