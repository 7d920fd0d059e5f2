import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import { Options, useOptions } from '../overlays/option-list.tsx'
import type { PickerOption } from '../overlays/overlay-stack.ts'
import type { MarkdownField } from './markdown-field.ts'

const MAX_SUGGESTIONS = 9
const LOAD_DELAY_MS = 120

/** What can be inserted for what is being typed. */
export interface Suggestion extends PickerOption {
  /** The edit that inserts it in place of the typed text. */
  edit: (text: string, from: number, to: number) => MarkdownEdit
  /** Called after the edit. */
  run?: () => void
}

/** The suggestions for the text before the caret, and where that begins. */
interface SuggestionMatch {
  name: string
  from: number
  options: readonly Suggestion[]
  /** Finds more of them, for example on the server. */
  loadMore?: () => Promise<Suggestion[]>
}

/** Returns what is suggested at a position of the text, such as people after an `@`. */
export type SuggestionSource = (text: string, caret: number) => SuggestionMatch | undefined

/** Where something is typed that a source knows. */
interface TypedPlace {
  text: string
  caret: number
  /** Where the line of the caret is in the window, if that is known. */
  line: { top: number; bottom: number } | null
}

/** More suggestions for what was typed at a place. */
interface LoadedSuggestions {
  from: number
  typed: string
  options: readonly Suggestion[]
}

/**
 * Suggests what to insert at the caret while somebody types in a field. Enter and Tab choose, Escape
 * closes the list until another word is typed. Where Enter ends the line, it chooses only what an
 * arrow key has highlighted.
 */
export function useSuggestions(
  field: RefObject<MarkdownField | null>,
  sources: readonly SuggestionSource[],
  { endsWithEnter = false } = {},
) {
  const [place, setPlace] = useState<TypedPlace>()
  const [loaded, setLoaded] = useState<LoadedSuggestions>()
  const [closedFrom, setClosedFrom] = useState<number>()
  /** The typed text in whose list an arrow key was used. */
  const [movedIn, setMovedIn] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const match = place && findFirst(sources, place.text, place.caret)
  const typed = match ? place.text.slice(match.from, place.caret) : ''
  const isOpen = match !== undefined && match.from !== closedFrom
  const options = isOpen ? mergeLoaded(match, typed, loaded).slice(0, MAX_SUGGESTIONS) : []

  const update = () => {
    clearTimeout(timer.current)
    const { current } = field
    const [caret, end] = current?.readSelection() ?? [0, 0]
    const text = current?.readText() ?? ''
    const next = caret === end ? findFirst(sources, text, caret) : undefined
    if (next?.from !== closedFrom) setClosedFrom(undefined)
    if (!next) return close()
    setPlace({ text, caret, line: current?.readCaretLine() ?? null })
    const { from, loadMore } = next
    if (!loadMore) return
    timer.current = setTimeout(async () => {
      // Without a network there are those that are loaded.
      const more = await loadMore().catch(() => [])
      setLoaded({ from, typed: text.slice(from, caret), options: more })
    }, LOAD_DELAY_MS)
  }
  const close = () => {
    clearTimeout(timer.current)
    setPlace(undefined)
    setMovedIn(undefined)
  }
  const choose = (suggestion: Suggestion) => {
    const { current } = field
    if (!current || !match) return
    current.edit(suggestion.edit(current.readText(), match.from, current.readSelection()[0]))
    close()
    suggestion.run?.()
  }
  const keys = useOptions({
    options,
    text: typed,
    first: options.find(({ reason }) => reason === undefined),
    onChoose: choose,
  })
  /** Returns whether the list handled the key. */
  const handleKeyDown = (event: KeyboardEvent): boolean => {
    if (options.length === 0) return false
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event
    if (key === 'Enter' && endsWithEnter && movedIn !== typed) return false
    if (keys.handleKeyDown(event)) {
      if (key !== 'Enter') setMovedIn(typed)
      return true
    }
    if (shiftKey || ctrlKey || metaKey || altKey) return false
    if (key === 'Tab' && keys.active) keys.choose(keys.active)
    else if (key === 'Escape') setClosedFrom(match?.from)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return {
    isOpen: options.length > 0,
    update,
    handleKeyDown,
    close,
    /** Identifies the list and its highlighted option for the attributes of the field. */
    listId: options.length > 0 ? keys.list.id : undefined,
    activeId: keys.activeId,
    list: { ...keys.list, name: match?.name ?? '', line: place?.line ?? null },
  }
}

function mergeLoaded(
  { from, options }: SuggestionMatch,
  typed: string,
  loaded: LoadedSuggestions | undefined,
): readonly Suggestion[] {
  // The answer for an earlier text is none for this one.
  if (loaded?.from !== from || loaded.typed !== typed) return options
  const ids = new Set(options.map(({ id }) => id))
  return [...options, ...loaded.options.filter(({ id }) => !ids.has(id))]
}

function findFirst(
  sources: readonly SuggestionSource[],
  text: string,
  caret: number,
): SuggestionMatch | undefined {
  for (const source of sources) {
    const match = source(text, caret)
    if (match) return match
  }
  return undefined
}

type SuggestionListProps = ReturnType<typeof useSuggestions>['list']

/** The suggestions, under the line of the caret or, where there is no room, above it. */
export function SuggestionList({ name, line, ...list }: SuggestionListProps) {
  const lineElement = useRef<HTMLDivElement>(null)
  const { top, bottom } = line ?? {}
  useLayoutEffect(() => {
    const { current } = lineElement
    const area = current?.parentElement?.getBoundingClientRect()
    if (!current || !area || top === undefined || bottom === undefined) return
    current.style.insetBlock = `${top - area.top}px ${area.bottom - bottom}px`
  }, [top, bottom])
  if (list.options.length === 0) return null
  return (
    <>
      <div className="caret-line" ref={lineElement} />
      {/* Above everything, because rows and dialogs cut off what does not fit into them. */}
      <div className="suggestions float" popover="manual" ref={showPopover}>
        <Options {...list} label={name} />
      </div>
    </>
  )
}

const showPopover = (element: HTMLElement | null) => element?.showPopover()
