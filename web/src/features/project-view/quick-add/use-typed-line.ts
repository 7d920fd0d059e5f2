import { type KeyboardEvent, useState } from 'react'
import {
  getChipKey,
  isSameChip,
  mergeChips,
  parseQuickAdd,
  type QuickAddChip,
  type QuickAddVocabulary,
  toTitle,
} from './parse-quick-add.ts'

/** A line that is being typed: its text, the values taken from it, and the words that stay text. */
export interface TypedLine {
  text: string
  chips: readonly QuickAddChip[]
  textWords: readonly string[]
}

export const EMPTY_LINE: TypedLine = { text: '', chips: [], textWords: [] }

const NO_CHIPS: readonly QuickAddChip[] = []

/**
 * A line in which a new task is typed, with the chips that are taken from it. Each can be given back;
 * Backspace does that for what was just taken and for the words at the end. In an empty line it removes
 * the last chip. Chips in `defaults` were
 * not typed; they apply until they are removed.
 */
export function useTypedLine(
  vocabulary: QuickAddVocabulary,
  readInitial: () => TypedLine,
  defaults: readonly QuickAddChip[] = NO_CHIPS,
) {
  const [line, setLine] = useState(readInitial)
  /** What was taken a moment ago, which Backspace gives back. */
  const [taken, setTaken] = useState<QuickAddChip>()
  const [removedDefaults, setRemovedDefaults] = useState<readonly string[]>([])
  const { text, chips } = line
  const textWords = new Set(line.textWords)
  const kept = defaults.filter((chip) => !removedDefaults.includes(getChipKey(chip)))
  const parse = (typed: string, finished = false) =>
    parseQuickAdd(typed, vocabulary, { textWords, finished })
  /** What would be taken from the text if it ended here. */
  const ending = parse(text, true).chips
  /** Takes what ends before the caret: a word after it may just be getting a mark. Returns its new place. */
  const change = (typed: string, caret = typed.length): number => {
    const parsed = parse(typed.slice(0, caret))
    const changed = `${parsed.text}${typed.slice(caret)}`
    setLine({ ...line, text: changed, chips: mergeChips(chips, parsed.chips) })
    setTaken(parsed.chips.at(-1))
    return parsed.text.length
  }
  const addChip = (chip: QuickAddChip) => {
    setLine((now) => ({ ...now, chips: mergeChips(now.chips, [chip]) }))
    setTaken(chip)
  }
  /** The words of a removed chip stay as text and are not taken again. */
  const removeChip = (chip: QuickAddChip) => {
    setTaken(undefined)
    const isChip = (one: QuickAddChip) => isSameChip(one, chip)
    const removed = kept.find(isChip)
    if (removed) return setRemovedDefaults([...removedDefaults, getChipKey(removed)])
    const words = [...line.textWords, chip.typed]
    if (!chips.some(isChip)) return setLine({ ...line, textWords: words })
    setLine({
      text: `${text.trimEnd()} ${chip.typed} `.trimStart(),
      chips: chips.filter((one) => !isChip(one)),
      textWords: words,
    })
  }
  // The words at the end are given back by one key, and deleted by the next.
  const lastWords = ending.findLast(
    ({ typed }) => text.trimEnd().endsWith(` ${typed}`) && !isMarked(typed),
  )
  /** Gives back what stands before the caret; returns whether the key did that. */
  const handleBackspace = ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): boolean => {
    if (key !== 'Backspace') return false
    const isAtEnd = isCaretAtEnd(currentTarget)
    const lastDefault = kept.at(-1)
    if (taken && chips.includes(taken) && isAtEnd) removeChip(taken)
    else if (text === '' && chips.length > 0) setLine({ ...line, chips: chips.slice(0, -1) })
    else if (text === '' && lastDefault) removeChip(lastDefault)
    else if (lastWords && isAtEnd) removeChip(lastWords)
    else return false
    return true
  }
  /** The title and chips of a text that is complete. */
  const finish = (typed: string, more: readonly QuickAddChip[]) => {
    const parsed = parse(typed, true)
    const all = mergeChips(mergeChips(kept, more), parsed.chips)
    const hasTaken = all.length > kept.length
    return { title: hasTaken ? toTitle(parsed.text) : parsed.text.trim(), chips: all }
  }
  return {
    line,
    setLine,
    change,
    finish,
    addChip,
    removeChip,
    handleBackspace,
    /** The chips as they would be now. */
    chips: mergeChips(mergeChips(kept, chips), ending),
    clear() {
      setLine(EMPTY_LINE)
      setRemovedDefaults([])
    },
  }
}

const isMarked = (typed: string): boolean => /^[#@!]/.test(typed)

const isCaretAtEnd = ({ selectionStart, selectionEnd, value }: HTMLInputElement): boolean =>
  selectionStart === value.length && selectionEnd === value.length
