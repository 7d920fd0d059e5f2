import './palette.css'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { paletteMessages } from '../../messages/app/palette.ts'
import { ShortcutKeys } from '../../ui/keyboard/shortcut-keys.tsx'
import { Icon } from '../../ui/marks/icon.tsx'
import { StatusGlyph } from '../../ui/marks/status-mark.tsx'
import type { MatchedPaletteEntry } from './match-entries.ts'
import { closePalette } from './palette-state.ts'
import { splitByMatch } from './text-match.ts'
import { usePaletteSections } from './use-palette-sections.ts'

/** The command palette: finds tasks, projects and people, and runs the commands of the menus. */
export function Palette({ typed: initialText }: { typed: string }) {
  const [typed, setTyped] = useState(initialText)
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const list = useId()
  const sections = usePaletteSections(typed)
  const entries = sections.flatMap((section) => section.entries)
  const [highlight, setHighlight] = useState<{ of: string; key: string | undefined }>()
  // Keyed by entry, not by index: entries that the server adds must not change what Enter runs.
  if (highlight?.of !== typed) setHighlight({ of: typed, key: entries[0]?.key })
  const index = Math.max(
    0,
    entries.findIndex(({ key }) => key === highlight?.key),
  )
  const highlighted = entries[index]
  const setIndex = (next: number) => setHighlight({ of: typed, key: entries[next]?.key })

  useEffect(() => {
    dialog.current?.showModal()
    // One types on after the initial text.
    field.current?.setSelectionRange(initialText.length, initialText.length)
  }, [initialText])
  useEffect(() => {
    document.getElementById(`${list}-${highlighted?.key}`)?.scrollIntoView({ block: 'nearest' })
  }, [highlighted?.key, list])

  function run(entry: MatchedPaletteEntry | undefined, beside: boolean): void {
    if (!entry) return
    // Closing returns the focus to where it was.
    dialog.current?.close()
    closePalette()
    entry.run(beside)
  }

  function handleKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = index + step
      const wraps = Math.abs(step) === 1 && entries.length > 0
      setIndex(wraps ? (next + entries.length) % entries.length : clampIndex(next, entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(highlighted, event.ctrlKey || event.metaKey)
    } else if (event.key === 'Tab' && typed.trim() !== '') {
      event.preventDefault()
      run(
        entries.find(({ key }) => key === 'everything'),
        false,
      )
    }
  }

  return (
    <dialog
      ref={dialog}
      className="palette paper float"
      data-overlay
      aria-label={paletteMessages.name}
      onClose={closePalette}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      onKeyDown={handleKeyDown}
    >
      <div className="ask">
        <span className="gut">
          <Icon name="search" />
        </span>
        <input
          ref={field}
          role="combobox"
          aria-label={paletteMessages.name}
          aria-expanded={entries.length > 0}
          aria-controls={list}
          aria-activedescendant={highlighted && `${list}-${highlighted.key}`}
          placeholder={paletteMessages.placeholder}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <kbd>Esc</kbd>
      </div>
      <div id={list} role="listbox" aria-label={paletteMessages.name} className="found">
        {sections.map(({ title, entries: sectionEntries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
          <div key={title} role="group" aria-label={title}>
            <div className="line cap" role="presentation">
              <span className="gut" />
              <span>{title}</span>
            </div>
            {sectionEntries.map((entry) => (
              <PaletteOption
                key={entry.key}
                id={`${list}-${entry.key}`}
                entry={entry}
                isHighlighted={entry.key === highlighted?.key}
                onPoint={() => setIndex(entries.indexOf(entry))}
                onRun={(beside) => run(entry, beside)}
              />
            ))}
          </div>
        ))}
        {entries.length === 0 && (
          <p className="line nothing">
            <span className="gut" />
            <span>{paletteMessages.nothing(typed)}</span>
          </p>
        )}
      </div>
      <div className="hint">
        <span>
          {paletteMessages.move} <kbd>↑ ↓</kbd>
        </span>
        <span>
          {paletteMessages.open} <kbd>Enter</kbd>
        </span>
        <span>
          {paletteMessages.beside} <ShortcutKeys of="mod+enter" />
        </span>
        {typed.trim() !== '' && (
          <span>
            {paletteMessages.everything(typed.trim())} <kbd>Tab</kbd>
          </span>
        )}
      </div>
    </dialog>
  )
}

const clampIndex = (index: number, length: number) => Math.max(0, Math.min(length - 1, index))

interface PaletteOptionProps {
  id: string
  entry: MatchedPaletteEntry
  isHighlighted: boolean
  onPoint: () => void
  onRun: (beside: boolean) => void
}

function PaletteOption({ id, entry, isHighlighted, onPoint, onRun }: PaletteOptionProps) {
  const { label, gutter, hint, icon, mark, match } = entry
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input (aria-activedescendant)
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
    <div
      role="option"
      id={id}
      aria-selected={isHighlighted}
      onPointerMove={onPoint}
      onClick={(event) => onRun(event.ctrlKey || event.metaKey)}
    >
      <span className="gut">{gutter}</span>
      <span>
        <span className="st" data-s={mark}>
          {mark ? <StatusGlyph mark={mark} /> : icon && <Icon name={icon} />}
        </span>
        <span className="clip">
          {splitByMatch(label, match).map((piece, index) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in their order
            index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece,
          )}
        </span>
      </span>
      <span>{hint}</span>
    </div>
  )
}
