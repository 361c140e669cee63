import { type AnySourceKind, sourceKind } from '../source-kind.ts'
import { checkKeepa, costOfKeepa, keepaForm, keepaSettings } from './form.ts'
import { runKeepa, tryKeepa } from './run.ts'

const productionBase = 'https://api.keepa.com'

/** Deals of Keepa's interface. `base` is another address in tests only. */
export function keepaKind({ base = productionBase } = {}): AnySourceKind {
  return sourceKind({
    kind: 'keepa',
    description: keepaForm,
    settings: keepaSettings,
    check: checkKeepa,
    costOf: costOfKeepa,
    run: (settings, context) => (context.isTry ? tryKeepa : runKeepa)(base, settings, context),
  })
}
