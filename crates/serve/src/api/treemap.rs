//! What a treemap can be asked for.

use onca_aggregate::ratio::Ratio;
use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::slice::{Aggregate, AskedRatio, LinkMeasure, Links, Measure, What};
use onca_query::Scope;
use onca_views::treemap::{Detail, TreemapOptions};

use super::picture::{Metric, ViewOptions};
use crate::fault::Fault;

impl ViewOptions {
    pub(super) fn treemap(&self, scope: &Scope<'_>) -> Result<TreemapOptions, Fault> {
        let detail = match (&self.level, self.depth) {
            (Some(level), _) => Detail::Kind(level.clone()),
            (None, Some(depth)) => Detail::Depth(depth),
            (None, None) => Detail::Leaves,
        };
        let facts = &scope.catalog().facts;
        let against = self.against.map(|window| window.absolute(facts)).transpose()?;
        Ok(TreemapOptions {
            what: self.sizes()?,
            aggregate: self.aggregate()?,
            detail,
            idle: self.idle,
            against,
            ..Default::default()
        })
    }

    /// The flags of `onca render treemap` that no other view has.
    pub(super) fn treemap_flags(&self, scope: &Scope<'_>) -> Result<Vec<String>, Fault> {
        let sizes: &[&str] = match self.metric {
            Some(Metric::Count) => &["--mode", "count"],
            Some(Metric::Bytes) => &["--by", "links", "--mode", "size"],
            None | Some(Metric::Time) => &[],
        };
        let mut flags: Vec<String> = sizes.iter().map(|word| word.to_string()).collect();
        flags.extend(self.agg.iter().map(|agg| format!("--agg={agg}")));
        flags.extend(self.ratio.iter().map(|ratio| format!("--ratio={ratio}")));
        if let Some(window) = self.treemap(scope)?.against {
            let time = |ticks| scope.catalog().facts.unit.format(ticks);
            flags.push(format!("--against-from={}", time(window.from)));
            flags.push(format!("--against-to={}", time(window.to)));
        }
        Ok(flags)
    }

    /// What the areas are.
    fn sizes(&self) -> Result<What, Fault> {
        // As on the command line, for one slice.
        let (end, border) = (LinkEnd::Origin, Crossing::Drop);
        let measure = match (&self.ratio, self.metric) {
            (Some(_), Some(_)) => {
                return Err(Fault::question("there is a metric or a ratio, not both"));
            }
            (Some(text), None) => {
                let wrong = |error| Fault::question(format!("ratio: {error}"));
                let ratio = Ratio::parse(text).map_err(wrong)?;
                let links = Links { end, border };
                return Ok(What::Ratio(AskedRatio { ratio, links, inclusive: false }));
            }
            (None, None | Some(Metric::Time)) => Measure::StateTime { inclusive: false },
            (None, Some(Metric::Count)) => Measure::StateCount,
            (None, Some(Metric::Bytes)) => {
                Measure::Link { measure: LinkMeasure::Size, end, border }
            }
        };
        Ok(What::Measure(measure))
    }

    fn aggregate(&self) -> Result<Aggregate, Fault> {
        let Some(text) = &self.agg else { return Ok(Aggregate::Sum) };
        Aggregate::parse(text).map_err(|error| Fault::question(format!("agg: {error}")))
    }
}
