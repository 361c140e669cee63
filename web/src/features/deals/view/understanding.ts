import {
  activeControls,
  asksAmongHidden,
  controlsOf,
  filtersOfText,
  matcherOfFilters,
  wholeText,
  withControls,
} from './asking.ts'
import { chipsOf } from './chips.ts'

/** All that the feed asks of the language. */
export const understanding = {
  ...{ controlsOf, filtersOfText, matcherOfFilters, wholeText, withControls, chipsOf, activeControls },
  ...{ asksAmongHidden },
}
