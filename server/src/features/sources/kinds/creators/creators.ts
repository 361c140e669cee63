import { type AnySourceKind, sourceKind } from '../source-kind.ts'
import { productionTokenUrls } from './credentials.ts'
import { checkCreators, costOfCreators, creatorsForm, creatorsRetention, creatorsSettings } from './form.ts'
import { runCreators } from './run.ts'

const productionBase = 'https://creatorsapi.amazon'

/** Items of the Creators API. Other addresses are given in tests only. */
export function creatorsKind({ base = productionBase, tokenUrls = productionTokenUrls } = {}): AnySourceKind {
  return sourceKind({
    kind: 'creators',
    description: creatorsForm,
    retention: creatorsRetention,
    settings: creatorsSettings,
    check: checkCreators,
    costOf: costOfCreators,
    run: (settings, context) => runCreators({ base, tokenUrls }, settings, context),
  })
}
