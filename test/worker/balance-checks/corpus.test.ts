import { testCorpus } from './corpus.ts'

testCorpus(10)
