import { useEffect, useMemo, useRef, useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { getErrorMessage } from '../feedback/error-message.tsx'
import { CREATE_ID, OptionList } from '../overlays/option-list.tsx'
import type { PickerOption, PickerOverlay } from '../overlays/overlay-stack.ts'
import { filterOptions, hasOptionNamed, mergeOptions } from '../overlays/picker-options.ts'
import { AnchoredSheet } from './anchored-sheet.tsx'

/** A searchable list beside its anchor. */
export function PickerPopover({ onClose, ...pick }: PickerOverlay & { onClose: () => void }) {
  const { anchor, label, options, picked, several = false, some = [], create, onPick } = pick
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(picked)
  const [touched, setTouched] = useState<readonly string[]>([])
  const [createdOptions, setCreatedOptions] = useState<readonly PickerOption[]>([])
  const [createError, setCreateError] = useState<unknown>()
  const { found, searching, error } = useOptionSearch(pick.search, typed)
  // The initially picked options come first and keep their place while the picker is open.
  const allOptions = useMemo(() => {
    const rank = (id: string) => (several && (picked.includes(id) || some.includes(id)) ? 0 : 1)
    return mergeOptions(createdOptions, options).toSorted((a, b) => rank(a.id) - rank(b.id))
  }, [createdOptions, options, picked, several, some])
  const shown = mergeOptions(filterOptions(allOptions, typed), found)
  const name = typed.trim()
  const creatable = create && name !== '' && !hasOptionNamed(allOptions, name) ? create : undefined

  const finishedIds = useRef<readonly string[]>(undefined)
  const finish = (ids: readonly string[]) => {
    finishedIds.current = ids
    const added = ids.filter((id) => !picked.includes(id))
    const removed = [...picked, ...some.filter((id) => touched.includes(id))].filter(
      (id) => !ids.includes(id),
    )
    onClose()
    if (added.length + removed.length > 0) onPick([...ids], { added, removed })
  }
  const createOption = async (creator: NonNullable<PickerOverlay['create']>) => {
    setCreateError(undefined)
    try {
      const option = await creator.run(name)
      // The picker was closed before the option was created, which still counts as picked.
      if (finishedIds.current) {
        onPick([...finishedIds.current, option.id], { added: [option.id], removed: [] })
        return
      }
      if (!several) return finish([option.id])
      // More may have been chosen or typed meanwhile.
      setCreatedOptions((created) => [option, ...created])
      setChosen((current) => [...current, option.id])
      setTyped((current) => (current.trim() === name ? '' : current))
    } catch (error) {
      setCreateError(error)
      if (!finishedIds.current) return
      const text = mutationMessages.notDone(creator.label(name), getErrorMessage(error))
      showToast({ text, tone: 'trouble' })
    }
  }
  const entries = creatable ? [...shown, { id: CREATE_ID, label: creatable.label(name) }] : shown
  const toggle = (id: string) =>
    chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]
  const choose = ({ id }: PickerOption) => {
    if (id === CREATE_ID) {
      if (creatable) void createOption(creatable)
    } else if (!several) finish([id])
    else {
      setTouched([...touched, id])
      setChosen(toggle(id))
    }
  }
  /** A set that is known whole: one knows the places of its options, and takes one by its number. */
  const isNumeric = ({ label, hint = '', words = '' }: PickerOption) =>
    /(^|\s)\d/.test(`${label} ${hint} ${words}`)
  const isFixed = !pick.search && !create && !options.some(isNumeric)
  /** What was typed when Enter was pressed before its options were found. */
  const awaited = useRef('')
  useEffect(() => {
    if (searching || awaited.current === '') return
    const first = entries.find(({ reason }: PickerOption) => reason === undefined)
    if (awaited.current === name && error === undefined && first) choose(first)
    awaited.current = ''
  })
  return (
    <AnchoredSheet anchor={anchor} label={label} onClose={() => finish(several ? chosen : picked)}>
      <OptionList
        label={label}
        placeholder={pick.placeholder}
        text={typed}
        onText={setTyped}
        options={entries}
        checked={chosen}
        some={some.filter((id) => !touched.includes(id))}
        several={several}
        initial={several ? undefined : picked[0]}
        onChoose={choose}
        onNumber={isFixed ? ({ id }) => finish(several ? toggle(id) : [id]) : undefined}
        onEnter={() => {
          if (searching) awaited.current = name
        }}
        empty={searching ? uiMessages.searching : error === undefined && uiMessages.nothingFound}
      />
      {(createError ?? error) !== undefined && (
        <p className="error" role="alert">
          {getErrorMessage(createError ?? error)}
        </p>
      )}
    </AnchoredSheet>
  )
}

const SEARCH_DEBOUNCE_MS = 120

interface OptionSearchState {
  found: readonly PickerOption[]
  searching: boolean
  /** Why the search failed. */
  error?: unknown
}

/** Runs a debounced search for a typed text and ignores stale responses. */
function useOptionSearch(search: PickerOverlay['search'], typed: string): OptionSearchState {
  const [state, setState] = useState<OptionSearchState>({
    found: [],
    searching: search !== undefined,
  })
  useEffect(() => {
    if (!search) return
    const controller = new AbortController()
    setState(({ found }) => ({ found, searching: true }))
    const timer = setTimeout(
      async () => {
        try {
          const found = await search(typed.trim(), controller.signal)
          if (!controller.signal.aborted) setState({ found, searching: false })
        } catch (error) {
          if (!controller.signal.aborted) setState({ found: [], searching: false, error })
        }
      },
      typed === '' ? 0 : SEARCH_DEBOUNCE_MS,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [search, typed])
  return state
}
