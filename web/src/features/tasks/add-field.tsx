import {
  type ClipboardEvent,
  type KeyboardEvent,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { formatDay } from '../../lib/day.ts'
import { m } from '../../messages/tasks.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Place, useAdding } from './adding.ts'
import { askLines } from './ask-lines.tsx'
import { create } from './create.ts'
import type { WithEarly } from './early.tsx'
import { type Chip, type Known, keyOf, lift, linesOf, withChips } from './quick-add.ts'
import { useScreen } from './screen.ts'
import { ViewContext } from './view.ts'

const MOST = 500

interface Props extends WithEarly {
  label: string
  place: Place
}

/** A line in which a task is typed: Enter makes it and waits for the next, Esc ends it. */
export function AddField({ label, place, early }: Props) {
  const screen = useScreen()
  const view = useContext(ViewContext)
  const { end } = useAdding()
  const known: Known = {
    ...{ tags: screen.tags, members: screen.boot.members, me: screen.me },
    ...{ today: screen.meaning.today, mayTag: screen.boot.session.user.role !== 'guest' },
  }
  const where = { screen, view, place }
  const kept = useRef(new Set<string>())
  // There from the first moment: what is typed next follows it.
  const [first] = useState(() => lift(early.at(-1) ?? '', known, { kept: new Set() }))
  const [text, setText] = useState(first.text)
  const [chips, setChips] = useState<readonly Chip[]>(first.chips)
  const type = (typed: string) => {
    const lifted = lift(typed, known, { kept: kept.current })
    setText(lifted.text)
    if (lifted.chips.length > 0) setChips(withChips(chips, lifted.chips))
  }
  const make = (typed: string, more: readonly Chip[]) => {
    const lifted = lift(typed, known, { kept: kept.current, finished: true })
    const title = lifted.text.trim().slice(0, MOST)
    if (title !== '') void create(where, title, withChips(more, lifted.chips))
    return title !== ''
  }
  // What was ended by Enter before the field was there is a task already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    for (const line of early.slice(0, -1)) make(line, [])
  }, [])
  const add = () => {
    if (!make(text, chips)) return
    kept.current.clear()
    setText('')
    setChips([])
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') add()
    else if (event.key === 'Escape') end()
    else if (event.key === 'Backspace' && text === '' && chips.length > 0)
      setChips(chips.slice(0, -1))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text')
    const lines = linesOf(pasted)
    if (lines.length < 2) return
    event.preventDefault()
    askLines(where, lines, () => setText(`${text}${lines.join(' ')}`.slice(0, MOST)))
  }
  // What was taken off stays as text and is not lifted again.
  const takeOff = (chip: Chip) => {
    kept.current.add(chip.typed)
    setChips(chips.filter((one) => one !== chip))
    setText(`${text.trimEnd()} ${chip.typed} `.trimStart())
  }
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the person asked to type here
        autoFocus
        aria-label={label}
        placeholder={m.newHint}
        value={text}
        maxLength={MOST}
        autoComplete="off"
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
        onPaste={paste}
        onBlur={() => text === '' && chips.length === 0 && end()}
      />
      {chips.map((chip) => (
        <span key={keyOf(chip)} className="chip">
          <i>{m.chips[chip.kind]}</i>
          {wordsOf(chip)}
          <button
            type="button"
            aria-label={m.takeOffChip(m.chips[chip.kind], wordsOf(chip))}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => takeOff(chip)}
          >
            <Icon name="x" />
          </button>
        </span>
      ))}
      {text !== '' && <kbd>{m.enter}</kbd>}
    </>
  )
}

function wordsOf(chip: Chip): string {
  if (chip.kind === 'due') {
    const day = formatDay(chip.date)
    return /^\w+$/.test(chip.typed) ? `${chip.typed.toLowerCase()}, ${day}` : day
  }
  return chip.kind === 'priority' ? m.priorities[chip.priority] : chip.name
}
