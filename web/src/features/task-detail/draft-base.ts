import { deleteDraft, readDraft, saveDraft } from '../../lib/state/drafts.ts'

/**
 * Stores the fields of the record that a draft of its text was started from. Changes that others
 * make after it are conflicts.
 */
export const saveDraftBase = (id: string, fields: object): boolean =>
  saveDraft(getStorageKey(id), JSON.stringify(fields))

export const clearDraftBase = (id: string): void => deleteDraft(getStorageKey(id))

/** Returns the record as it was when its stored draft was started; undefined without a draft. */
export function readDraftBase<R extends { id: string }>(
  record: R,
  draftKey: string,
): R | undefined {
  const stored = readDraft(getStorageKey(record.id))
  if (readDraft(draftKey) === undefined || stored === undefined) return
  try {
    return { ...record, ...(JSON.parse(stored) as Partial<R>) }
  } catch {
    return
  }
}

const getStorageKey = (id: string): string => `begin.${id}`
