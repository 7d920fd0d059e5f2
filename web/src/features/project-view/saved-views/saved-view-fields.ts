import { toSavedViewSearch } from '../../../data/resources/saved-view-search.ts'
import type { SavedView, SavedViewPatch } from '../../../data/resources/saved-views.ts'
import { formatSort } from '../../property-definitions.ts'
import { formatFilter } from '../filter/view-filter.ts'
import { type ProjectView, parseViewSearch, toViewSearch } from '../project-view.ts'

/** The shown view as the fields of a saved view. */
export const toSavedViewFields = (view: ProjectView) =>
  ({
    view: view.kind,
    f: formatFilter(view.filter),
    sort: formatSort(view),
    group: view.group,
    lanes: view.lanes,
  }) as Required<Pick<SavedViewPatch, 'view' | 'f' | 'sort' | 'group' | 'lanes'>>

/** Whether the shown view differs from a saved view. */
export const differsFromSavedView = (saved: SavedView, view: ProjectView): boolean =>
  JSON.stringify(toViewSearch(parseViewSearch(toSavedViewSearch(saved)))) !==
  JSON.stringify(toViewSearch(view))
