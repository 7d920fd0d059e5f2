import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { m } from '../../messages/palette.ts'
import { Icon } from '../../ui/icon.tsx'
import { Glyph } from '../../ui/status-mark.tsx'
import type { Found } from './found.ts'
import { piecesOf } from './match.ts'
import { closePalette } from './open.ts'
import { useSections } from './sections.ts'

/** Finds a task by number or words, a project, a person; does what any menu does. */
export function Palette({ typed: first }: { typed: string }) {
  const [typed, setTyped] = useState(first)
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useId()
  const sections = useSections(typed)
  const flat = sections.flatMap(({ found }) => found)
  const [mark, setMark] = useState<{ of: string; key: string | undefined }>()
  // What is highlighted stays so when the server adds lines: Enter does what stood there.
  if (mark?.of !== typed) setMark({ of: typed, key: flat[0]?.key })
  const at = Math.max(
    0,
    flat.findIndex(({ key }) => key === mark?.key),
  )
  const chosen = flat[at]
  const setAt = (next: number) => setMark({ of: typed, key: flat[next]?.key })

  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  useEffect(() => {
    document.getElementById(`${list}-${chosen?.key}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen?.key, list])

  function run(found: Found | undefined, beside: boolean): void {
    if (!found) return
    // Gives the focus back to where it was.
    dialog.current?.close()
    closePalette()
    found.run(beside)
  }

  function onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = at + step
      const wraps = Math.abs(step) === 1 && flat.length > 0
      setAt(wraps ? (next + flat.length) % flat.length : clamp(next, flat.length))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(chosen, event.ctrlKey || event.metaKey)
    } else if (event.key === 'Tab' && typed.trim() !== '') {
      event.preventDefault()
      run(
        flat.find(({ key }) => key === 'everything'),
        false,
      )
    }
  }

  return (
    <dialog
      ref={dialog}
      className="palette paper float"
      data-overlay
      aria-label={m.name}
      onClose={closePalette}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      onKeyDown={onKey}
    >
      <div className="ask">
        <span className="gut">
          <Icon name="search" />
        </span>
        <input
          role="combobox"
          aria-label={m.name}
          aria-expanded={flat.length > 0}
          aria-controls={list}
          aria-activedescendant={chosen && `${list}-${chosen.key}`}
          placeholder={m.placeholder}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <kbd>Esc</kbd>
      </div>
      <div id={list} role="listbox" aria-label={m.name} className="found">
        {sections.map(({ title, found }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
          <div key={title} role="group" aria-label={title}>
            <div className="line cap" role="presentation">
              <span className="gut" />
              <span>{title}</span>
            </div>
            {found.map((one) => (
              <Line
                key={one.key}
                id={`${list}-${one.key}`}
                found={one}
                chosen={one.key === chosen?.key}
                onPoint={() => setAt(flat.indexOf(one))}
                onRun={(beside) => run(one, beside)}
              />
            ))}
          </div>
        ))}
        {flat.length === 0 && (
          <p className="line nothing">
            <span className="gut" />
            <span>{m.nothing(typed)}</span>
          </p>
        )}
      </div>
      <div className="hint">
        <span>
          {m.move} <kbd>Up Down</kbd>
        </span>
        <span>
          {m.open} <kbd>Enter</kbd>
        </span>
        <span>
          {m.beside} <kbd>Ctrl Enter</kbd>
        </span>
        {typed.trim() !== '' && (
          <span>
            {m.everything(typed.trim())} <kbd>Tab</kbd>
          </span>
        )}
      </div>
    </dialog>
  )
}

const clamp = (at: number, length: number) => Math.max(0, Math.min(length - 1, at))

interface LineProps {
  id: string
  found: Found
  chosen: boolean
  onPoint: () => void
  onRun: (beside: boolean) => void
}

function Line({ id, found, chosen, onPoint, onRun }: LineProps) {
  const { label, gutter, hint, icon, mark, match } = found
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field (aria-activedescendant)
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    <div
      role="option"
      id={id}
      aria-selected={chosen}
      onPointerMove={onPoint}
      onClick={(event) => onRun(event.ctrlKey || event.metaKey)}
    >
      <span className="gut">{gutter}</span>
      <span>
        <span className="st" data-s={mark}>
          {mark ? <Glyph mark={mark} /> : icon && <Icon name={icon} />}
        </span>
        <span className="clip">
          {piecesOf(label, match).map((piece, at) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in their order
            at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
          )}
        </span>
      </span>
      <span>{hint}</span>
    </div>
  )
}
