// Stages for other deployments: a standalone MongoDB server knows their names and refuses them,
// each with its own code that drivers check.

import { fail, type GatewayError } from '../../base/errors.js'
import { location } from '../expressions/operator.js'
import type { StageRow } from './stage.js'
import { plainStage } from './stage-facts.js'

const searchText =
  'Using $search and $vectorSearch aggregation stages requires additional configuration. Please ' +
  'connect to Atlas or an AtlasCLI local deployment to enable.'

const indexesText =
  'Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires ' +
  'additional configuration. Please connect to Atlas or an AtlasCLI local deployment to enable.'

const changesText = 'The $changeStream stage is only supported on replica sets'

function refused(name: string, why: () => GatewayError): StageRow {
  return {
    ...plainStage,
    name,
    place: 'first',
    compile: () => {
      throw why()
    },
  }
}

export const refusedStages: readonly StageRow[] = [
  {
    ...refused('$changeStream', () => location(40573, changesText)),
    within: ['union'],
    readConcern: 'majority',
  },
  refused('$search', () => fail('SearchNotEnabled', searchText)),
  refused('$searchMeta', () => fail('SearchNotEnabled', searchText)),
  refused('$vectorSearch', () => fail('SearchNotEnabled', searchText)),
  refused('$listSearchIndexes', () => fail('SearchNotEnabled', indexesText)),
]
