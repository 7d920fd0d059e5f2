import { addressOf } from '../../../data/saved-address.ts'
import type { SavedView, ViewPatch } from '../../../data/views.ts'
import { formatFilter } from '../filter.ts'
import { searchOfView, sortText, type View, viewOf } from '../view.ts'

/** What is shown, as a saved view has it. */
export const keptOf = (view: View) =>
  ({
    view: view.shape,
    f: formatFilter(view.filter),
    sort: sortText(view),
    group: view.group,
    lanes: view.lanes,
  }) as Required<Pick<ViewPatch, 'view' | 'f' | 'sort' | 'group' | 'lanes'>>

/** Whether the address shows something else than the view for which it is named. */
export const differs = (saved: SavedView, view: View): boolean =>
  JSON.stringify(searchOfView(viewOf(addressOf(saved)))) !== JSON.stringify(searchOfView(view))
